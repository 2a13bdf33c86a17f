"""The searches of papers 000 and 003."""
