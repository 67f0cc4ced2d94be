"""From events to codes: encoding, categories and cut points."""
