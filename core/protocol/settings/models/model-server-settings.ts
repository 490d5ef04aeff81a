import { z } from 'zod';
import { modelDialectSchema, SERVER_FAMILIES } from './model-dialect.ts';
import { modelName } from '../model-name.ts';
import { priceSchema } from './price-schema.ts';
import { PROVIDER_NAMES, TIERS } from '../provider-table.ts';
import { effortLevelSchema } from '../sampling.ts';
import { defineSetting } from '../setting.ts';

const tokens = z.number().int().positive();
/** A file of this machine: absolute, or in the home folder. */
const filePath = z.string().regex(/^(?:\/|~\/)./);
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/);
const headerValue = z.string().regex(/^[\x20-\x7e]*$/);
/** Fields of a request that Klaus writes. */
const OWN_FIELDS = new Set(['messages', 'input', 'tools', 'stream', 'model', 'system', 'instructions']);
/** First parts of names of models that mean something else. */
const TAKEN: ReadonlySet<string> = new Set([...PROVIDER_NAMES, ...TIERS, 'ai', 'scripted']);

/** What is known of a model. An absent field is left to the model catalog, else to an assumption. */
const modelFacts = {
  contextWindow: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  images: z.boolean().optional(),
  /** Whether the model calls tools. False: requests have none. `text`: it calls them in the text of its answers. */
  tools: z.union([z.boolean(), z.literal('text')]).optional(),
  price: priceSchema.optional(),
  /** Levels of effort, the lowest first. */
  efforts: z.array(effortLevelSchema).optional(),
  /** Whether the model accepts a temperature. */
  temperature: z.boolean().optional(),
  dialect: modelDialectSchema.partial().optional(),
};

const modelFactsSchema = z.strictObject(modelFacts);
export type ModelFacts = z.infer<typeof modelFactsSchema>;

export const modelServerSchema = z
  .strictObject({
    /** As in the documentation of the server, with its version (`…/v1`). `{model}` is replaced by the id of the model. */
    baseUrl: z.string().regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?(\?[^\s#]*)?$/),
    /** Format of the requests. */
    wire: z.enum(['chat', 'responses', 'messages']).default('chat'),
    family: z.enum(SERVER_FAMILIES).optional(),
    key: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .optional(),
    /** A command of the shell that prints the key. */
    keyCommand: z.string().min(1).optional(),
    /** Name of the header with the key. `authorization`: as a bearer token. */
    keyHeader: headerName.optional(),
    headers: z.record(headerName, headerValue).optional(),
    /** Further fields of each request. */
    body: z
      .record(
        z.string().refine((name) => !OWN_FIELDS.has(name)),
        z.json(),
      )
      .optional(),
    caFile: filePath.optional(),
    /** Address of the proxy; `off`: none, also if the environment has one. */
    proxy: z.union([z.literal('off'), z.string().regex(/^https?:\/\/\S+$/)]).optional(),
    ...modelFacts,
    /** What differs for single models, by id. */
    models: z.record(modelName, modelFactsSchema).optional(),
    /** Ids of the models that the tiers mean while no provider has a key. */
    tiers: z.partialRecord(z.enum(TIERS), modelName).optional(),
  })
  .refine(({ key, keyCommand }) => key === undefined || keyCommand === undefined);
export type ModelServerSettings = z.infer<typeof modelServerSchema>;

export const modelServerNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/)
  .refine((name) => !TAKEN.has(name));

/** Servers of models that have a name, and certificates. They are the user's alone: keys are sent, commands run. */
export const MODEL_SERVER_SETTINGS = {
  servers: defineSetting({
    schema: z.record(modelServerNameSchema, modelServerSchema),
    unset: 'none',
    values:
      'for each name: `baseUrl`, and optionally `wire` (chat, responses, messages), `family`, `key` or `keyCommand`, `keyHeader`, `headers`, `body`, `caFile`, `proxy`, `contextWindow`, `maxOutputTokens`, `images`, `tools`, `price`, `efforts`, `temperature`, `dialect`, `models`, `tiers`',
    description: 'Servers of models, for models named `NAME/ID`. See the guide "Models and servers".',
    secret: true,
  }),
  'network.caFile': defineSetting({
    schema: filePath,
    env: 'KLAUS_CA_FILE',
    unset: 'none',
    values: 'an absolute path, or one that begins with `~/`',
    description:
      'Certificates in PEM that are trusted in addition to those of Node, for models, MCP servers and the web tools.',
  }),
} as const;
