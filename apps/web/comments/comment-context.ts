import { createContext } from 'react';
import type { Store } from '../state/store.ts';
import type { LineComment } from './comment.ts';

/** The comments on the change around a line. Absent where a change has none. */
export const CommentContext = createContext<Store<readonly LineComment[]> | undefined>(undefined);
