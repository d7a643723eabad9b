/** The deployed product without AWS: the stack's own resources on the emulators, its own bundles behind its own APIs. */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Emulators } from '../emulators/start.ts';
import { type Front, openFront } from './gateway/front.ts';
import { type Fleet, fleet } from './lambda/fleet.ts';
import { startPoller } from './queue/poller.ts';
import { startRecorder } from './recorder/recorder.ts';
import type { Recording, Request } from './recorder/recording.ts';
