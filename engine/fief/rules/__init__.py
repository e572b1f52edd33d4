"""Rules of Fief, a file a chapter: the round and its phases; below it `war`, `court` and `realm`."""
