/** Stands between the functions and the emulators: notes every call, and refuses what the caller's role does not allow. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Emulators } from '../../emulators/start.ts';
import { allows } from './allows.ts';
import { askCapacity, unasked, unitsIn } from './capacity.ts';
import { forward, forwarded } from './forward.ts';
import { type Body, jsonOperation } from './json-operation.ts';
import { type Call, type Caller, SIGNED_ADDRESS } from './recording.ts';
import { refuse } from './refusal.ts';
import { needToMiss, type Operation, s3Operation } from './s3-operation.ts';
import { type Wire, wireOf } from './wire.ts';

export type Recorder = { url: string; callers: Map<string, Caller>; calls: Call[]; stop(): void };
