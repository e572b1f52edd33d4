"""Time: clock arithmetic, pace, deadlines, reminders, calendar feed."""
