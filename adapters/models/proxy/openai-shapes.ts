import {
  address,
  byType,
  data,
  dataFields,
  dataUrl,
  fields,
  inline,
  list,
  model,
  plain,
  plainFields,
  remote,
  schema,
  textOr,
  type Shape,
} from './request-shape.ts';

// What a request of the APIs of OpenAI, and of providers that speak them, contains that the provider handles without
// the network. All else is network. Source: references of OpenAI and OpenRouter, November 2026.

const TYPED = { type: plain, cache_control: data };
const SOUND = fields(plainFields('data format'));

const imageUrl: Shape = (value, at, found) =>
  typeof value === 'object' && value !== null
    ? fields({ url: dataUrl, detail: plain, format: plain })(value, at, found)
    : dataUrl(value, at, found);

const ownFunction = fields({
  ...plainFields('name description strict'),
  parameters: schema,
  cache_control: data,
});
const chatTool = byType({
  function: fields({ ...TYPED, function: ownFunction }),
  custom: fields({ ...TYPED, custom: fields({ ...plainFields('name description'), format: data }) }),
});

const chatPart = byType({
  text: fields({ ...TYPED, text: plain }),
  refusal: fields({ ...TYPED, refusal: plain }),
  image_url: fields({ ...TYPED, image_url: imageUrl }),
  video_url: fields({ ...TYPED, video_url: imageUrl }),
  input_audio: fields({ ...TYPED, input_audio: SOUND }),
  file: fields({ ...TYPED, file: fields({ filename: plain, file_data: inline, format: plain }) }),
});

const chatCall = fields({
  ...plainFields('id type index'),
  function: fields(plainFields('name arguments')),
  custom: fields(plainFields('name input')),
  extra_content: data,
});

const responseFormat = fields({
  type: plain,
  json_schema: fields({ ...plainFields('name description strict'), schema }),
});

export const chatShape: Shape = fields({
  ...plainFields(
    'max_tokens max_completion_tokens stream temperature top_p top_k min_p top_a n presence_penalty frequency_penalty repetition_penalty logprobs top_logprobs seed parallel_tool_calls reasoning_effort reasoning_summary include_reasoning verbosity user safety_identifier prompt_cache_key prompt_cache_retention store service_tier enable_thinking structured_outputs session_id route',
  ),
  ...dataFields(
    'stop stream_options tool_choice function_call logit_bias metadata modalities audio usage reasoning thinking cache_control provider transforms chat_template_kwargs',
  ),
  model,
  messages: list(
    fields({
      ...plainFields('role name tool_call_id refusal reasoning reasoning_content reasoning_text prefix id'),
      ...dataFields('audio function_call reasoning_details cache_control'),
      content: textOr(list(chatPart)),
      tool_calls: list(chatCall),
    }),
  ),
  tools: list(chatTool),
  functions: list(ownFunction),
  response_format: responseFormat,
  prediction: fields({ type: plain, content: textOr(list(chatPart)) }),
});

const responsePart = byType({
  input_text: fields({ ...TYPED, text: plain }),
  output_text: fields({ ...TYPED, text: plain, annotations: data, logprobs: data }),
  text: fields({ ...TYPED, text: plain }),
  summary_text: fields({ ...TYPED, text: plain }),
  reasoning_text: fields({ ...TYPED, text: plain }),
  refusal: fields({ ...TYPED, refusal: plain }),
  encrypted_content: fields({ ...TYPED, encrypted_content: plain }),
  input_image: fields({ ...TYPED, image_url: imageUrl, detail: plain }),
  input_file: fields({ ...TYPED, filename: plain, file_data: inline, file_url: address, detail: plain }),
  input_audio: fields({ ...TYPED, input_audio: SOUND }),
});
const responseParts = textOr(list(responsePart));

/** A shell in the sandbox of the program; one in a container of the provider is not local. */
const localOnly = byType({ local: fields({ type: plain, skills: remote }) });

const responseTool: Shape = (value, at, found) =>
  byType({
    function: fields({
      ...TYPED,
      ...plainFields('name description strict defer_loading'),
      parameters: schema,
      output_schema: schema,
    }),
    custom: fields({ ...TYPED, ...plainFields('name description defer_loading'), format: data }),
    namespace: fields({ ...TYPED, ...plainFields('name description'), tools: list(responseTool) }),
    local_shell: fields(TYPED),
    apply_patch: fields(TYPED),
    shell: (shell, place, more) => {
      fields({ ...TYPED, environment: localOnly })(shell, place, more);
      // Without an environment, the provider chooses one.
      if (!(shell as Record<string, unknown>)['environment']) remote(shell, place, more);
    },
    // It searches the tools of the request.
    tool_search: fields({ ...TYPED, ...plainFields('execution description'), parameters: schema }),
  })(value, at, found);

const ITEM = { ...TYPED, ...plainFields('id status call_id name namespace phase role') };
const call = (names: string) => fields({ ...ITEM, ...dataFields(names) });
const message = fields({ ...ITEM, content: responseParts });

const item = byType(
  {
    message,
    function_call: call('arguments'),
    function_call_output: fields({ ...ITEM, output: responseParts }),
    custom_tool_call: call('input'),
    custom_tool_call_output: fields({ ...ITEM, output: responseParts }),
    reasoning: fields({ ...ITEM, summary: list(responsePart), content: list(responsePart), encrypted_content: plain }),
    local_shell_call: call('action'),
    local_shell_call_output: call('output'),
    shell_call: fields({ ...ITEM, action: data, max_output_length: plain, environment: localOnly }),
    shell_call_output: call('output max_output_length'),
    apply_patch_call: call('operation'),
    apply_patch_call_output: call('output'),
    tool_search_call: call('arguments execution'),
    tool_search_output: fields({ ...ITEM, execution: plain, tools: list(responseTool) }),
    // What an earlier answer contained.
    item_reference: fields(ITEM),
    compaction: call('encrypted_content'),
    compaction_summary: call('encrypted_content'),
  },
  message,
);

export const responsesShape: Shape = fields({
  ...plainFields(
    'max_output_tokens max_tool_calls stream temperature top_p top_logprobs truncation user safety_identifier prompt_cache_key prompt_cache_retention store service_tier parallel_tool_calls previous_response_id verbosity',
  ),
  ...dataFields(
    'stream_options include metadata client_metadata reasoning tool_choice context_management provider cache_control',
  ),
  model,
  instructions: textOr(list(item)),
  input: textOr(list(item)),
  tools: list(responseTool),
  text: fields({ verbosity: plain, format: fields({ ...plainFields('type name description strict'), schema }) }),
});
