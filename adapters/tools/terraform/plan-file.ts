import { headOf } from '@klaus/core/cut-text';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { toInside, type Configuration } from './terraform.ts';

/** Relative to the folder of the configuration. */
export const PLAN_FILE = '.terraform/klaus.tfplan';

/** A saved plan and the configuration that it was made from. */
export interface PlanId {
  /** SHA-256 of the plan file. */
  plan: string;
  /** Digest of names and contents of the files of the configuration. */
  files: string;
}

/** What a plan would change. */
export interface PlanSummary {
  add: number;
  change: number;
  destroy: number;
  /** Each with `+`, `~`, `-` or `±` before the address. */
  rows: readonly string[];
}

const planSchema = z.object({
  resource_changes: z
    .array(z.object({ address: z.string(), change: z.object({ actions: z.array(z.string()) }) }))
    .optional(),
});

/** Reads the output of `terraform show -json PLAN`. @throws KlausError `tool.failed` for anything else. */
export function toSummary(json: string): PlanSummary {
  const { resource_changes: changes = [] } = parsePlan(json);
  const counts = { add: 0, change: 0, destroy: 0 };
  const rows: string[] = [];
  for (const { address, change } of changes) {
    const isCreated = change.actions.includes('create');
    const isDestroyed = change.actions.includes('delete');
    const isUpdated = change.actions.includes('update');
    if (isCreated) counts.add += 1;
    if (isDestroyed) counts.destroy += 1;
    if (isUpdated) counts.change += 1;
    if (isCreated || isDestroyed || isUpdated)
      rows.push(`${isCreated && isDestroyed ? '±' : isCreated ? '+' : isDestroyed ? '-' : '~'} ${toOneLine(address)}`);
  }
  return { ...counts, rows };
}

function parsePlan(json: string): z.infer<typeof planSchema> {
  try {
    return planSchema.parse(JSON.parse(json));
  } catch (cause) {
    throw toolFailed('The plan could not be read.', { cause });
  }
}

function toOneLine(text: string): string {
  return headOf(text.replaceAll(/[\p{Cc}\s]+/gu, ' '), 300);
}

export function describeCounts({ add, change, destroy }: Omit<PlanSummary, 'rows'>): string {
  return `${add} to add, ${change} to change, ${destroy} to destroy`;
}

/** The first line of the result of `terraform_plan`, by which `terraform_apply` finds it. */
export function toPlanHead({ plan, files }: PlanId, counts: string): string {
  return `Plan ${plan} of ${files}: ${counts}.`;
}

/** The present plan file. @throws KlausError `tool.failed` without one. */
export async function readPlanId(
  { workspace }: Pick<ToolContext, 'workspace'>,
  configuration: Configuration,
): Promise<PlanId> {
  const plan = await workspace.hash(toInside(configuration, PLAN_FILE));
  if (plan === null) throw toolFailed('There is no saved plan.', { hint: 'Run terraform_plan first.' });
  return { plan, files: await hashConfiguration({ workspace }, configuration) };
}

/**
 * What a result of `terraform_plan` in this session reports about the plan file.
 *
 * @returns The counts in words.
 * @throws KlausError `workspace.conflict` if no result reports this file, or if the configuration changed.
 */
export async function findPlanned({ recall }: Pick<ToolContext, 'recall'>, { plan, files }: PlanId): Promise<string> {
  const { hits } = await recall.search(plan);
  for (const { seq } of hits) {
    const found = await recall.read(seq, { max: 300 });
    // The text after the first line comes from the configuration.
    const [, of, counts] = new RegExp(`^Plan ${plan} of (\\w+): ([^.\\n]+)\\.\\n`).exec(found?.text ?? '') ?? [];
    if (counts === undefined || !/^result of terraform_plan\b/.test(found!.title)) continue;
    if (of === files) return counts;
    throw new KlausError('workspace.conflict', 'The configuration changed after the plan.', {
      hint: 'Run terraform_plan again.',
    });
  }
  throw new KlausError('workspace.conflict', 'The plan file is not one that terraform_plan made in this session.', {
    hint: 'Run terraform_plan again.',
  });
}

const CONFIGURATION = /\.(?:tf|tofu|tfvars)(?:\.json)?$|^\.terraform\.lock\.hcl$/;
const MAX_FILES = 5_000;

/** 16 hexadecimal digits. Also of the modules below the folder. */
export async function hashConfiguration(
  { workspace }: Pick<ToolContext, 'workspace'>,
  configuration: Configuration,
): Promise<string> {
  const rows: [string, string | null][] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(configuration.absolute, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && !/^(?:\.terraform|\.git|node_modules)$/.test(entry.name)) folders.push(`${path}/`);
      else if (CONFIGURATION.test(entry.name)) rows.push([path, await workspace.hash(toInside(configuration, path))]);
      if (rows.length > MAX_FILES) throw toolFailed(`The configuration has more than ${MAX_FILES} files.`);
    }
  }
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16);
}
