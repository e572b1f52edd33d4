"""What players see and read of Medieval Mastery: views, boards, sentences, previews, notation."""
