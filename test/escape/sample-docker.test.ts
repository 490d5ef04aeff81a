// Covers adapters/sandboxes/docker, apps/cli/commands/sandbox: a sample of ways out of a container, with the built image.
import { vi } from 'vitest';
import { declareEscapes } from './suite.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// `npm run test:escape -- --driver docker` runs all cases.
await declareEscapes({ every: 29, driver: 'docker' });
