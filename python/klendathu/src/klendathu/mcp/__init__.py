"""The MCP server through which an agent looks into this process."""
