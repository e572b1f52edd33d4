"""Tools around the games: playouts, fuzzing, measures of tempo, recording. Nothing that serves players imports them."""
