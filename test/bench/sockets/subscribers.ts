/** What both sides of the bench of sockets agree on. */
export const SUBSCRIBERS = 100;

/** `gapMs` lies between two updates; without one they come as fast as they can. */
export type Asked = { updates: number; gapMs: number };
/** By the id in the messages, when each update was written. */
export type Written = [taskId: string, at: number][];
export type Ready = { url: string; tokens: string[] };
