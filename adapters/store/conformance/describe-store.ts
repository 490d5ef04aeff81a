import { describe } from 'vitest';
import { describeAgentUses } from './agent-uses.ts';
import { describeAttention } from './attention.ts';
import { describeBlobs } from './blobs.ts';
import { describeCrashes } from './crashes.ts';
import { describeInbox } from './inbox.ts';
import { describeLeases } from './leases.ts';
import { describeLog, describeRefusedAppends } from './log.ts';
import { describeOutbox } from './outbox.ts';
import { describeQueries } from './queries.ts';
import type { CreateStoreHarness } from './store-harness.ts';
import { describeSubscriptions } from './subscriptions.ts';
import { describeTexts } from './texts.ts';
import { describeView } from './view.ts';

/** Tests that every implementation of `SessionStore` must pass. Call it once in a test file of the implementation. */
export function describeStore(name: string, create: CreateStoreHarness): void {
  describe(`${name}: log`, () => {
    describeLog(create);
    describeRefusedAppends(create);
    describeTexts(create);
  });
  describe(`${name}: inbox`, () => {
    describeInbox(create);
  });
  describe(`${name}: leases`, () => {
    describeLeases(create);
  });
  describe(`${name}: subscriptions`, () => {
    describeSubscriptions(create);
  });
  describe(`${name}: blobs`, () => {
    describeBlobs(create);
  });
  describe(`${name}: outbox`, () => {
    describeOutbox(create);
  });
  describe(`${name}: queries`, () => {
    describeQueries(create);
    describeAgentUses(create);
  });
  describe(`${name}: view`, () => {
    describeView(create);
  });
  describe(`${name}: attention`, () => {
    describeAttention(create);
  });
  describe(`${name}: crashes`, () => {
    describeCrashes(create);
  });
}
