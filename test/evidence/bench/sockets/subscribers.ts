/** Types that both processes of the WebSocket benchmark share. */
export const SUBSCRIBERS = 100;

/** `gapMs` is the time between two updates; 0 sends them as fast as possible. */
export type Asked = { updates: number; gapMs: number };
/** The time of each write, by the task id in the messages. */
export type Written = [taskId: string, at: number][];
export type Ready = { url: string; tokens: string[] };
