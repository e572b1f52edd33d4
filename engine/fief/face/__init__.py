"""What players see and read of Fief: views, boards, sentences, previews, notation."""
