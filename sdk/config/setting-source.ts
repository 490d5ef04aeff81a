import type { SettingKey } from '@klaus/core/protocol';

/** Where a value came from, strongest first. */
export type SourceName = 'option' | 'environment' | 'home .env' | 'project file' | 'user file' | 'default';

export interface SettingSource {
  readonly source: SourceName;
  /** The variable, or the file with its line: `/home/ann/.klaus/config.yaml:3`. */
  readonly where?: string;
}

/** A value as it was found, not yet checked. */
export interface FoundValue extends SettingSource {
  readonly key: SettingKey;
  readonly value: unknown;
  /** The environment variable, where it was one. */
  readonly variable?: string;
  /** Folder from which a relative path is meant. */
  readonly folder: string;
}
