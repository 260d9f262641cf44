"""What a page of the site may load: pages carry it in their head, `serve` sends it with every answer."""

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'")
