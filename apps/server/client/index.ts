export { createClient, toPath, type Client, type ClientOptions } from './client.ts';
export { followHost, type FollowHostOptions } from './follow-host.ts';
export { followSession, type FollowSessionOptions } from './follow-session.ts';
export { isProblemError, ProblemError } from './problem-error.ts';
export { type StreamState } from './follow.ts';
