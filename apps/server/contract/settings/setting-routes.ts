import { z } from 'zod';
import { defineRoute } from '../route.ts';

const inputSchema = z.union([
  z.object({ kind: z.enum(['boolean', 'text', 'list', 'other']) }),
  z.object({ kind: z.literal('choice'), options: z.array(z.string()).readonly() }),
  z.object({
    kind: z.literal('number'),
    isInteger: z.boolean(),
    least: z.number().optional(),
    most: z.number().optional(),
  }),
]);

const settingSchema = z.object({
  key: z.string().describe('Such as `limits.usd`.'),
  value: z.string().describe('For display. A secret is not shown; an unset value is what applies instead.'),
  source: z.string().describe('`default`, `user file`, `project file`, `environment`, `home .env`, `option` …'),
  where: z.string().optional().describe('The variable, or the file with its line.'),
  env: z.string().optional().describe('The variable that sets it.'),
  description: z.string(),
  data: z.unknown().describe('The value as JSON. Null: unset, or secret.'),
  fallback: z.unknown().describe('The default as JSON. Null: none, or secret.'),
  unset: z.string().optional().describe('What applies while it is unset, for a setting without a default.'),
  allowed: z.string().describe('The allowed values in words.'),
  input: inputSchema.describe('How it is entered. `other`: only in a file.'),
  lock: z
    .enum(['option', 'environment', 'home .env', 'project file', 'machine'])
    .optional()
    .describe('Why it cannot be changed here. `machine`: only in a file on the machine of the server.'),
});
export type SettingView = z.infer<typeof settingSchema>;

const checkSchema = z.object({
  name: z.string().describe('Such as `node` or `sandbox bubblewrap`.'),
  status: z.enum(['ok', 'warn', 'fail']).describe('`warn`: something optional is missing.'),
  text: z.string(),
  fix: z.string().optional().describe('What the user can do.'),
  install: z.string().optional().describe("A shell command for the system's package manager, if that is sufficient."),
  unused: z.literal(true).optional().describe('It is not needed here, and it may not work.'),
  canFetch: z.literal(true).optional().describe('A session downloads what is missing.'),
});
export type CheckView = z.infer<typeof checkSchema>;

export const settingRoutes = {
  configuration: defineRoute('settings', 'GET /api/configuration', {
    summary: 'Every setting with its value and source. Values of secrets are not included.',
    role: 'admin',
    answer: z.object({ settings: z.array(settingSchema), file: z.string().describe('The settings file of the user.') }),
  }),
  changeSetting: defineRoute('settings', 'PUT /api/configuration/:key', {
    summary: "Writes one setting into the user's settings file. It is in force for the next step of each session.",
    role: 'admin',
    params: z.object({ key: z.string().describe('Such as `limits.usd`.') }),
    body: z.object({
      value: z.json().describe('As JSON. Null removes the setting from the file, so that its default applies.'),
    }),
    answer: settingSchema,
  }),
  checks: defineRoute('settings', 'GET /api/checks', {
    summary: 'Checks what a run needs on the machine of the server, as `klaus doctor` does. Takes up to some seconds.',
    role: 'admin',
    answer: z.object({ checks: z.array(checkSchema) }),
  }),
};
