/** What the sign-in and the lists know of the contracts. Written by `npm run contracts`. */
import type { JsonSchema } from './validate.ts';

export const CREDENTIALS: JsonSchema = {"type":"object","properties":{"username":{"type":["string","null"],"maxLength":256},"password":{"type":["string","null"],"maxLength":1024},"sso_token":{"type":["string","null"]}}};

export const AGENT_STATUSES: string[] = ["pending","processing","cancelling","completed","failed","cancelled"];

export const AGENT_TYPES: string[] = ["research_agent","processing_agent","notification_agent"];

export const PROMPT_STATUSES: string[] = ["waiting","active","success","failure"];
