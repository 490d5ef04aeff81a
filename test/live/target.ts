import { createModels } from '@klaus/adapters/models';
import type { Model } from '@klaus/core/agent';
import type { ModelServerSettings } from '@klaus/core/protocol';

export type Wire = ModelServerSettings['wire'];

export const WIRES: readonly Wire[] = ['chat', 'responses', 'messages'];

/** The server and the model that are checked. */
export interface Target {
  /** As in the documentation of the server, with its version. */
  baseUrl: string;
  model: string;
  /** Default: none. */
  key?: string;
  /** Default: that of the wire. */
  keyHeader?: string;
  /** Longest answer that is requested, in tokens. */
  maxOutputTokens: number;
  /** Largest context window that is filled, in tokens. */
  maxWindow: number;
  /** For each answer, in milliseconds. */
  timeoutMs: number;
}

export interface TargetChanges extends Pick<ModelServerSettings, 'body' | 'contextWindow' | 'family' | 'tools'> {
  model?: string;
  key?: string;
}

/** The settings of a named server for the target. */
export function toServerSettings(target: Target, wire: Wire, changes: TargetChanges = {}): ModelServerSettings {
  const { baseUrl, keyHeader, maxOutputTokens } = target;
  const { body, contextWindow, family, tools, key = target.key } = changes;
  const price = { input: 0, output: 0 };
  // A program that says whether its model sees images is believed.
  const images = family === undefined ? true : undefined;
  return { baseUrl, wire, key, keyHeader, body, contextWindow, family, tools, maxOutputTokens, price, images };
}

/** The real client of the target. */
export function openModel(target: Target, wire: Wire, changes: TargetChanges = {}): Promise<Model> {
  const servers = { live: toServerSettings(target, wire, changes) };
  return createModels({ keys: {}, servers }).resolve(`live/${changes.model ?? target.model}`);
}
