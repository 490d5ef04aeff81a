import { approvedScripts } from './approved-scripts.ts';
import { carriedPlaces } from './carried-places.ts';
import type { AttackClass } from './case.ts';
import { clearKeys } from './clear-keys.ts';
import { destroyedHistory } from './destroyed-history.ts';
import { forgedReceipts } from './forged-receipts.ts';
import { instructionFiles } from './instruction-files.ts';
import { plantedRepositories } from './planted-repositories.ts';
import { protectedPlaces } from './protected-places.ts';
import { toolchainBinds } from './toolchain-binds.ts';

/** Every class of attack with a generator. */
export const CLASSES: readonly AttackClass[] = [
  plantedRepositories,
  destroyedHistory,
  approvedScripts,
  instructionFiles,
  clearKeys,
  protectedPlaces,
  carriedPlaces,
  toolchainBinds,
  forgedReceipts,
];
