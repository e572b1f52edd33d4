"""The table: commands, votes, absences, substitutes, talk, the host."""
