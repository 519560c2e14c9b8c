"""The MCP server: other programs read within their grants, and propose memories."""
