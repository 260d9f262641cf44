"""Family codec_quality."""
