import { z } from 'zod';
import { defineRoute } from '../route.ts';

const serverTestSchema = z.object({
  result: z
    .enum(['accepted', 'refused', 'unknown'])
    .describe('`refused`: the server does not accept the key. `unknown`: no answer that says something about it.'),
  message: z.string().nullable().describe('The reason, without the key. Null: accepted.'),
  models: z.array(z.string()).describe('Ids of the models that the server lists.'),
});
export type ModelServerTest = z.infer<typeof serverTestSchema>;

const modelServerSchema = z.object({
  name: z.string().describe('Models are called `NAME/ID`.'),
  baseUrl: z.string().describe('Without user and query.'),
  wire: z.enum(['chat', 'responses', 'messages']),
  hasKey: z.boolean(),
  models: z.array(z.string()).describe('Full names of the models that the entry names.'),
});
export type ModelServerView = z.infer<typeof modelServerSchema>;

const localServerSchema = z.object({
  title: z.string().describe('Such as `Ollama`.'),
  address: z.string().describe('Scheme, host and port.'),
  isLoopback: z.boolean().describe('False: texts leave this machine.'),
  program: z.string().describe('Name of the program that owns the socket, or `unknown`.'),
  user: z.string().describe('Name of the user who owns the socket, or `unknown`.'),
  models: z.array(z.string()).describe('Full names; those in memory, if there are some.'),
  isAllowed: z.boolean().describe('True if the user has allowed to send texts to it.'),
});
export type LocalServerView = z.infer<typeof localServerSchema>;

const given = {
  baseUrl: z.string().min(1).max(8_192).describe('As in the documentation of the server, with its version.'),
  wire: z.enum(['chat', 'responses', 'messages']).default('chat'),
  key: z.string().min(1).max(4_096).optional(),
  model: z.string().min(1).max(500).optional().describe("The server's id of a model. It gets one small request."),
};
const params = z.object({ name: z.string() });

export const modelServerRoutes = {
  modelServers: defineRoute('settings', 'GET /api/model-servers', {
    summary: 'The compatible servers in the settings (`servers`). A key is never part of an answer.',
    role: 'admin',
    answer: z.object({ servers: z.array(modelServerSchema) }),
  }),
  tryModelServer: defineRoute('settings', 'POST /api/model-servers/test', {
    summary:
      'Reads the list of models of a compatible server, and with a model sends one small request. Stores nothing.',
    role: 'admin',
    body: z.object(given),
    answer: serverTestSchema,
  }),
  addModelServer: defineRoute('settings', 'POST /api/model-servers', {
    summary: 'Tests a compatible server, and adds it to the settings. An entry is never replaced.',
    role: 'admin',
    body: z.object({
      ...given,
      name: z.string().min(1).max(100),
      isDefault: z.boolean().default(false).describe('The model becomes the default of new sessions.'),
      force: z.boolean().default(false).describe('Adds it also if the test fails.'),
    }),
    answer: z.object({ isStored: z.boolean(), test: serverTestSchema }),
  }),
  testModelServer: defineRoute('settings', 'POST /api/model-servers/:name/test', {
    summary: 'Tests a compatible server of the settings.',
    role: 'admin',
    params,
    answer: serverTestSchema,
  }),
  removeModelServer: defineRoute('settings', 'DELETE /api/model-servers/:name', {
    summary: 'Removes a compatible server, with its key, from the settings.',
    role: 'admin',
    params,
    answer: z.object({}),
  }),
  localModels: defineRoute('settings', 'GET /api/local-models', {
    summary: 'Looks for programs on the machine of the server that serve models, with GET requests without any text.',
    role: 'admin',
    answer: z.object({ servers: z.array(localServerSchema) }),
  }),
  useLocalModel: defineRoute('settings', 'POST /api/local-models', {
    summary:
      'Allows to send texts to a program, as it was shown, and makes its model the default. 409 for another one.',
    role: 'admin',
    body: z.object({
      ...{ model: z.string(), address: z.string(), user: z.string(), program: z.string() },
      isDefault: z.boolean().default(true).describe('False: the default of new sessions stays.'),
    }),
    answer: z.object({ model: z.string() }),
  }),
};
