import type { z } from 'zod';
import type { DeployOptions } from '@klaus/core/agent';
import type { ToolExample } from '../builtin-tool.ts';
import type { DeployApi } from './deploy-api.ts';
import type { Site } from './site-files.ts';

/** What a deploy would change, by path. */
export interface DeployDifference {
  upload: readonly string[];
  /** Files of the present site that the new one does not have. */
  remove: readonly string[];
}

export interface DeployResult {
  /** The address of the site, if the service reports one. */
  url?: string;
  /** The id of the deploy, if the service has one. */
  id?: string;
  /** Number of uploaded files. The others were at the service before. */
  uploaded: number;
  removed: number;
  /** Further facts, each as a sentence. */
  notes?: readonly string[];
}

/** Where one call deploys to. */
export interface DeployDestination {
  /** In words: `the site x of Netlify`. */
  shown: string;
  /** URLs of the services. The call may reach their hosts only. */
  services: readonly string[];
  /** Variables of credentials that are sent to each service. An optional one is sent if the user has set it. */
  credentials: readonly { name: string; isOptional?: true }[];
  /** Compares the site with the present one. It changes nothing. */
  compare(api: DeployApi, site: Site): Promise<DeployDifference>;
  /**
   * Deploys the site. It can be interrupted at any point and repeated: the end is the same site. It reports each state
   * to `api.report`.
   */
  publish(api: DeployApi, site: Site): Promise<DeployResult>;
}

/** A service to which sites are deployed. */
export interface DeployTarget<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** The name of its tool. */
  name: string;
  /** Description of its tool. */
  description: string;
  /** Fields of its input in addition to `folder` and `dryRun`. */
  fields: Shape;
  /** Input of the example in addition to `folder`. */
  example: z.input<z.ZodObject<Shape>>;
  freeText?: ToolExample['freeText'];
  /** Checks all names before any request. @throws KlausError `tool.failed`, `config`. */
  locate(input: z.output<z.ZodObject<Shape>>, options: DeployOptions): DeployDestination;
}

/** Declares a target; infers the type of its input. */
export function defineDeployTarget<Shape extends z.ZodRawShape>(target: DeployTarget<Shape>): DeployTarget<Shape> {
  return target;
}
