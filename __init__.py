"""isyarat: sign-language video to text, first for BISINDO."""

__version__ = "0.1.0"
