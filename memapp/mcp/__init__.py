"""The MCP server: other programs read the memory within their grants, and propose what the person
may want remembered.
"""
