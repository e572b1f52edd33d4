"""What `make mutants` needs beside mutmut: its report, the reviewed list of equivalent mutants, a plugin of pytest."""
