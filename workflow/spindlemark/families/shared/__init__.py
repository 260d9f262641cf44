"""Parts that several families use: media generators, codecs, AAF files, block storage, streams."""
