import {
  address,
  byType,
  data,
  dataFields,
  fields,
  list,
  model,
  plain,
  plainFields,
  remote,
  schema,
  textOr,
  type Shape,
} from './request-shape.ts';

// What a request of the Messages API contains that the provider handles without the network. All else is network.
// Source: reference of the Messages API, November 2026.

const COMMON = { type: plain, cache_control: data };

/** Parts can be nested: a document of parts, a result of a tool. */
const parts: Shape = (value, at, found) => textOr(list(part))(value, at, found);

const source = byType({
  base64: fields(plainFields('type media_type data')),
  text: fields(plainFields('type media_type data')),
  content: fields({ type: plain, content: parts }),
  url: fields({ type: plain, url: address }),
});

const withSource = fields({ ...COMMON, source, title: plain, context: plain, citations: data });

const part = byType({
  text: fields({ ...COMMON, text: plain, citations: data }),
  image: withSource,
  document: withSource,
  search_result: fields({ ...COMMON, source: plain, title: plain, content: parts, citations: data }),
  tool_use: fields({ ...COMMON, ...plainFields('id name'), ...dataFields('input caller') }),
  tool_result: fields({ ...COMMON, ...plainFields('tool_use_id is_error'), content: parts }),
  tool_reference: fields({ ...COMMON, tool_name: plain }),
  thinking: fields({ ...COMMON, ...plainFields('thinking signature') }),
  redacted_thinking: fields({ ...COMMON, data: plain }),
  compaction: fields({ ...COMMON, ...plainFields('content encrypted_content') }),
});

/** Code that the provider runs may call the tool: that code is not local. */
const callers: Shape = (value, at, found) =>
  list((caller, place, more) => (caller === 'direct' ? undefined : remote(caller, place, more)))(value, at, found);

const own = fields({
  ...COMMON,
  ...plainFields('name description strict defer_loading eager_input_streaming'),
  input_schema: schema,
  input_examples: data,
  allowed_callers: callers,
});
/** The program runs it, in the sandbox. */
const byProgram = fields({
  ...COMMON,
  ...plainFields(
    'name max_characters display_width_px display_height_px display_number enable_zoom strict defer_loading eager_input_streaming',
  ),
  input_examples: data,
  allowed_callers: callers,
});

const tool = byType(
  {
    custom: own,
    'bash_*': byProgram,
    'text_editor_*': byProgram,
    'computer_*': byProgram,
    'memory_*': byProgram,
    // They search the tools of the request.
    'tool_search_tool_regex_*': byProgram,
    'tool_search_tool_bm25_*': byProgram,
    tool_search_tool_regex: byProgram,
    tool_search_tool_bm25: byProgram,
  },
  own,
);

const format = fields({ ...plainFields('type name'), schema });

const outputConfig = fields({ ...plainFields('effort'), task_budget: data, format });

export const messagesShape: Shape = fields({
  ...plainFields('max_tokens stream temperature top_p top_k service_tier speed inference_geo'),
  ...dataFields('metadata stop_sequences thinking tool_choice cache_control context_management betas anthropic_beta'),
  model,
  system: parts,
  messages: list(fields({ role: plain, content: parts, output_config: outputConfig })),
  tools: list(tool),
  output_config: outputConfig,
  output_format: format,
});
