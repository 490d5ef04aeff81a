// Requests with which a provider would use the network, and those without, by wire.

export type Json = Record<string, unknown>;

export const EVIL = 'https://evil.example/x';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

interface Wire {
  path: string;
  base: Json;
  /** A request with one part of content. */
  withPart(part: Json, depth: number): Json;
  parts: Readonly<Record<string, Json>>;
  tools: Readonly<Record<string, Json>>;
  fields: Readonly<Record<string, unknown>>;
  local: readonly Json[];
}

const said = (content: unknown) => [{ role: 'user', content }];
const PARAMETERS = { type: 'object', properties: { url: { type: 'string', format: 'uri' }, $ref: { type: 'string' } } };

export const MESSAGES: Wire = {
  path: '/anthropic/v1/messages',
  base: { model: 'claude-sonnet-5-5', max_tokens: 9, messages: said('Look at https://example.com') },
  withPart(part, depth) {
    let content: unknown = [part];
    for (let level = 0; level < depth; level++)
      content =
        level % 2 === 0
          ? [{ type: 'tool_result', tool_use_id: 'a', content }]
          : [{ type: 'document', source: { type: 'content', content } }];
    return { ...this.base, messages: said(content) };
  },
  parts: {
    'an image by its address': { type: 'image', source: { type: 'url', url: EVIL } },
    'a document by its address': { type: 'document', source: { type: 'url', url: EVIL } },
    'an image of the files API': { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    'a source with a type in capitals': { type: 'image', source: { type: 'URL', url: EVIL } },
    'a source without a type': { type: 'image', source: { url: EVIL } },
    'a source with a second address': { type: 'image', source: { type: 'base64', data: PIXEL, url: EVIL } },
    'a file for a container': { type: 'container_upload', file_id: 'file_1' },
    'a call of a server tool': { type: 'server_tool_use', id: 'a', name: 'web_fetch', input: { url: EVIL } },
    'a call of an MCP server': { type: 'mcp_tool_use', id: 'a', name: 'x', server_name: 'y', input: {} },
    'a part of the future': { type: 'web_page', url: EVIL },
    'a part without a type': { url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search_20250305', name: 'web_search' },
    'a later web fetch': { type: 'web_fetch_20991231', name: 'web_fetch' },
    'code execution': { type: 'code_execution_20250825', name: 'code_execution' },
    'MCP tools': { type: 'mcp_toolset', mcp_server_name: 'x' },
    'a bash of another name': { type: 'bash_20250124_remote', name: 'bash' },
    'a tool for the code of the provider': {
      name: 'read',
      input_schema: PARAMETERS,
      allowed_callers: ['code_execution_20250825'],
    },
    'a schema of another document': { name: 'read', input_schema: { properties: { a: { $ref: EVIL } } } },
  },
  fields: {
    mcp_servers: [{ type: 'url', url: EVIL, name: 'x' }],
    container: { id: 'container_1', skills: [{ type: 'anthropic', skill_id: 'x' }] },
    tools: { '0': { type: 'web_search_20250305', name: 'web_search' } },
    system: [{ type: 'image', source: { type: 'url', url: EVIL } }],
    web_search_options: {},
    __proto__x: { a: 1 },
  },
  local: [
    {
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      metadata: { user_id: 'a' },
      mcp_servers: [],
      container: null,
    },
    {
      tools: [
        {
          name: 'fetch',
          description: EVIL,
          input_schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...PARAMETERS },
        },
        { type: 'custom', name: 'x', input_schema: { $defs: { a: {} }, properties: { a: { $ref: '#/$defs/a' } } } },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    {
      messages: [
        ...said([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }]),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: EVIL, signature: 'a' },
            { type: 'redacted_thinking', data: 'a' },
            { type: 'tool_use', id: 'a', name: 'x', input: { type: 'url', url: EVIL, mcp_servers: [EVIL] } },
          ],
        },
        ...said([
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: false,
            content: [{ type: 'tool_reference', tool_name: 'x' }],
          },
          { type: 'document', title: 'a', source: { type: 'text', media_type: 'text/plain', data: EVIL } },
        ]),
        { role: 'system', content: 'The date has changed.' },
      ],
    },
  ],
};

export const CHAT: Wire = {
  path: '/openai/v1/chat/completions',
  base: { model: 'gpt-5.4', max_completion_tokens: 9, messages: said('Look at https://example.com') },
  withPart(part, depth) {
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } };
    const before = depth === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: [call] }];
    const role = depth === 0 ? 'user' : 'tool';
    return { ...this.base, messages: [...before, { role, ...(depth ? { tool_call_id: 'a' } : {}), content: [part] }] };
  },
  parts: {
    'an image by its address': { type: 'image_url', image_url: { url: EVIL } },
    'an image by a bare address': { type: 'image_url', image_url: EVIL },
    'an image by an address without a scheme': { type: 'image_url', image_url: { url: '//evil.example/x' } },
    'an image by an address in capitals': { type: 'image_url', image_url: { url: EVIL.toUpperCase() } },
    'an image by an address after a space': { type: 'image_url', image_url: { url: ` ${EVIL}` } },
    'a video by its address': { type: 'video_url', video_url: { url: EVIL } },
    'a file by its address': { type: 'file', file: { filename: 'a.pdf', file_data: EVIL } },
    'a file of the files API': { type: 'file', file: { file_id: 'file_1' } },
    'a part of the future': { type: 'link', url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search' },
    MCP: { type: 'mcp', server_url: EVIL },
    'a server tool of OpenRouter': { type: 'openrouter:web_search' },
    'a function with an address': { type: 'function', function: { name: 'x' }, server_url: EVIL },
    'no type': { function: { name: 'x' } },
    'a schema of another document': { type: 'function', function: { name: 'x', parameters: { $ref: EVIL } } },
  },
  fields: {
    web_search_options: { search_context_size: 'low' },
    plugins: [{ id: 'web' }],
    models: ['perplexity/sonar'],
    model: 'gpt-4o-search-preview',
    preset: 'mine',
  },
  local: [
    {
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      metadata: { a: 'b' },
      store: false,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: PARAMETERS } },
      tools: [
        { type: 'function', function: { name: 'fetch', description: EVIL, parameters: PARAMETERS, strict: true } },
      ],
      tool_choice: { type: 'function', function: { name: 'fetch' } },
      plugins: [],
    },
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: EVIL }] },
        ...said([
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: PIXEL } },
        ]),
        {
          role: 'assistant',
          content: null,
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'a' }],
          annotations: [],
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'x', arguments: JSON.stringify({ url: EVIL }) } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: EVIL },
      ],
    },
  ],
};

export const RESPONSES: Wire = {
  path: '/openai/v1/responses',
  base: { model: 'gpt-5.4', max_output_tokens: 9, input: 'Look at https://example.com' },
  withPart(part, depth) {
    const item =
      depth === 0
        ? { type: 'message', role: 'user', content: [part] }
        : { type: 'function_call_output', call_id: 'a', output: [part] };
    return { ...this.base, input: [item] };
  },
  parts: {
    'an image by its address': { type: 'input_image', image_url: EVIL },
    'an image of the files API': { type: 'input_image', file_id: 'file_1' },
    'a file by its address': { type: 'input_file', file_url: EVIL },
    'a file of the files API': { type: 'input_file', file_id: 'file_1' },
    'a file by an address as data': { type: 'input_file', file_data: EVIL },
    'a part of the future': { type: 'input_page', url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search', external_web_access: false },
    'an earlier web search': { type: 'web_search_preview' },
    MCP: { type: 'mcp', server_label: 'x', server_url: EVIL, require_approval: 'never' },
    'a connector': { type: 'mcp', server_label: 'x', connector_id: 'connector_gmail' },
    'a code interpreter': { type: 'code_interpreter', container: { type: 'auto' } },
    'computer use': { type: 'computer_use_preview' },
    'file search': { type: 'file_search', vector_store_ids: ['a'] },
    'image generation': { type: 'image_generation' },
    'a shell in a container': { type: 'shell', environment: { type: 'container_auto' } },
    'a shell without an environment': { type: 'shell' },
    'web search in a namespace': { type: 'namespace', name: 'x', tools: [{ type: 'web_search' }] },
  },
  fields: {
    prompt: { id: 'pmpt_1' },
    conversation: 'conv_1',
    background: true,
    input: [{ type: 'mcp_approval_response', approve: true, approval_request_id: 'a' }],
    instructions: [{ role: 'user', content: [{ type: 'input_file', file_url: EVIL }] }],
  },
  local: [
    {
      instructions: EVIL,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'x', schema: PARAMETERS } },
      store: false,
      prompt_cache_key: 'a',
      client_metadata: { a: 'b' },
      tools: [
        { type: 'function', name: 'shell', description: EVIL, strict: false, parameters: PARAMETERS },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'local' } },
        { type: 'namespace', name: 'a', description: 'b', tools: [{ type: 'function', name: 'x', parameters: {} }] },
      ],
    },
    {
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: EVIL }] },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'a' },
        { type: 'function_call', call_id: 'a', name: 'x', arguments: JSON.stringify({ url: EVIL }) },
        { type: 'function_call_output', call_id: 'a', output: EVIL },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      ],
    },
  ],
};
