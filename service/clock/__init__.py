"""Time: the arithmetic of working clocks, pace, deadlines, reminders, calendar."""
