import type { SettingKey } from '@klaus/core/protocol';

/** The source of a value, strongest first. */
export type SourceName = 'option' | 'environment' | 'home .env' | 'project file' | 'user file' | 'default';

export interface SettingSource {
  readonly source: SourceName;
  /** The variable, or the file with its line: `/home/ann/.klaus/config.yaml:3`. */
  readonly where?: string;
}

/** A value before validation. */
export interface FoundValue extends SettingSource {
  readonly key: SettingKey;
  readonly value: unknown;
  /** The environment variable that set it. */
  readonly variable?: string;
  /** Folder to which a relative path refers. */
  readonly folder: string;
}
