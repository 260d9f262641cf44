"""Site: findings and database -> data, downloads and charts of one version; Hugo -> HTML; versions -> one folder."""
