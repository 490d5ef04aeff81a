export {
  deletePrompt,
  listPrompts,
  savePrompt,
  type PromptContent,
  type PromptPlaces,
  type SavedPrompt,
} from './saved-prompts.ts';
export { expandPrompt } from '@klaus/core/protocol';
