"""Tools around the service: the demo, the robot that plays by page and letter, commands about games and logs."""
