"""What players see and read of Ortus Regni: views, boards, sentences, previews, notation."""
