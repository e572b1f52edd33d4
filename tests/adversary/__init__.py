"""The attacks that the service has to bear, as tests and as longer runs (`make soak`). Each prints how much it tried."""
