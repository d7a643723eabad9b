/** The console as this machine serves it, its catcher of webhooks and its list of mails. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleAt } from '../../bin/local/console/console-at.ts';
import { consoleServer } from '../../bin/local/console/serve-console.ts';
import { agents, login } from '../../functions/agents/face.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/face.ts';
import { openLocal } from '../../local/context.ts';
import { serve } from '../../local/server.ts';
import type { Founded } from '../../shared/accounts/found-organization.ts';
import { seedDemo, planDemo } from '../../shared/accounts/seed-demo.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { signWebhook } from '../../shared/webhooks/sign-webhook.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
