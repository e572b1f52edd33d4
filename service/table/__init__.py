"""The table: commands, votes, absences, substitutes, talk, host."""
