/** The whole product in one stack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { agents } from '../functions/agents/api.ts';
import { login } from '../functions/agents/login.ts';
import { filesAndTasks } from '../functions/files-and-tasks/api.ts';
import { environment } from '../shared/core/environment.ts';
import { DEFAULT_LANE } from '../shared/core/lane.ts';
import { Buckets } from './constructs/buckets.ts';
import { consolePage } from './constructs/console-page.ts';
import { CustomerKey } from './constructs/customer-key.ts';
import { Edge } from './constructs/edge.ts';
import { BundledFunction, grantModels, type Lifecycle, MinuteSchedule } from './constructs/function.ts';
import { HttpApiWithRoutes, type Routes, type SeparateRoutes } from './constructs/http-api.ts';
import { Mail } from './constructs/mail.ts';
import { Monitoring } from './constructs/monitoring.ts';
import { HintQueues, UndeliveredEvents } from './constructs/queues.ts';
import { Schedules } from './constructs/schedules.ts';
import { SocketApi } from './constructs/socket-api.ts';
import { StaticFiles } from './constructs/static-files.ts';
import { MasterSecret, StateTable } from './constructs/storage.ts';
import { addOutputs, type Domain, type Settings, type Size } from './settings.ts';

/** The last tag is used to find and delete expired stages. */
const stageTags = ({ stage, isEphemeral, expires }: Settings): Record<string, string> => ({
  'errand:stage': stage,
  'errand:kept': `${!isEphemeral}`,
  ...(expires ? { 'errand:expires': expires } : {}),
});

const namespaceOf = ({ stage }: Settings): string => `Errand/${stage}`;

/**
 * The origins of pages that transfer files. Without a custom domain, the console's origin is created after the bucket,
 * so any origin is allowed.
 */
const consoleOrigins = ({ origins, domains: { agents: consoleDomain } }: Settings): string[] =>
  consoleDomain ? [...origins, `https://${consoleDomain.name}`] : [];

/** The memory of the worker itself, its other tasks, and files that are being passed to the reading thread. */
const BESIDE_DOCUMENTS_MEGABYTES = 320;

type Options = { settings: Settings; bundles: string };
type Stores = { stateTable: StateTable; buckets: Buckets; master: MasterSecret; queues: HintQueues };
type ApiOptions = { handler: BundledFunction; separate?: SeparateRoutes; domain?: Domain | undefined };
type ApiRoutes = { name: string; routes: Routes };

export class ErrandStack extends Stack {
  private readonly options: Options;
  private readonly lifecycle: Lifecycle;
  private readonly undelivered: UndeliveredEvents;
  private readonly functions = new Map<string, BundledFunction>();
  /** The ids of the HTTP APIs, by the name of the API. */
  private readonly apis = new Map<string, string>();

  constructor(scope: Construct, id: string, options: Options) {
    const { settings } = options;
    super(scope, id, {
      description: 'Errand: files, asynchronous AI tasks and background agents',
      terminationProtection: !settings.isEphemeral,
      tags: stageTags(settings),
    });
    this.options = options;
    this.lifecycle = {
      removalPolicy: settings.isEphemeral ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      logRetention: settings.logRetention,
      customerKey: settings.kmsKey && new CustomerKey(this, settings.kmsKey),
    };
    this.undelivered = new UndeliveredEvents(this, 'Undelivered', this.lifecycle);

    const stateTable = new StateTable(this, 'State', this.lifecycle);
    const { lifecycle } = this;
    const buckets = new Buckets(this, 'Bytes', { ...settings, origins: consoleOrigins(settings), lifecycle });
    const master = new MasterSecret(this, 'MasterSecret', this.lifecycle);
    const queues = new HintQueues(this, 'Queues', { ...settings, ...lifecycle });

    const files = this.addApiFunction('FilesAndTasksFunction', filesAndTasks, settings.sizes.filesAndTasks);
    stateTable.grantRows(files);
    buckets.grantObjects(files);
    // All tasks of this API run in one lane.
    queues.grantSendingHints(files, [DEFAULT_LANE]);
    files.setEnvironment(environment.maxFileBytes, `${settings.maxFileBytes}`);
    const agentsApi = this.addApiFunction('AgentsFunction', agents, settings.sizes.agents);
    stateTable.grantRows(agentsApi);
    buckets.grantArchives(agentsApi, { readsThem: true });
    queues.grantSendingHints(agentsApi);
    const loginFunction = this.addApiFunction('LoginFunction', login, settings.sizes.login);
    stateTable.grantLogin(loginFunction);
    for (const apiFunction of [files, agentsApi]) this.setLimits(apiFunction);
    for (const apiFunction of [files, agentsApi, loginFunction]) master.grantReading(apiFunction);

    const [reconciler, worker, webhookSender] = this.addWorkers({ stateTable, buckets, master, queues });
    const workers = [reconciler, worker, webhookSender];
    const { domains, sender } = settings;
    const filesHttp = this.addHttpApi('FilesAndTasks', filesAndTasks, { handler: files, domain: domains.files });
    const filesUrl = filesHttp.rootUrl;
    const separate = { routes: login.routes, handler: loginFunction };
    const http = this.addHttpApi('Agents', agents, { handler: agentsApi, separate });
    const socketFunction = this.addFunction('SocketFunction', 'socket', settings.sizes.socket);
    stateTable.grantConnections(socketFunction);
    master.grantReading(socketFunction);
    queues.consumeUnauthenticated(socketFunction);
    const socket = this.addSocket(socketFunction, [agentsApi, ...workers]);
    const console = this.consoleFiles({ filesUrl, bucketUrls: buckets.urls, socketsUrl: socket.directUrl });
    const edge = new Edge(this, 'Edge', { http, socket, console, domain: domains.agents, ...this.lifecycle });
    for (const apiFunction of [agentsApi, loginFunction]) edge.grantOrigin(apiFunction);
    files.setEnvironment(environment.origins, [...settings.origins, edge.rootUrl].join(','));
    const serviceUrls = [filesUrl, edge.rootUrl, filesHttp.gatewayUrl, http.gatewayUrl];
    for (const apiFunction of [files, agentsApi])
      apiFunction.setEnvironment(environment.serviceUrls, serviceUrls.join(','));
    const mailFunctions = { acceptor: agentsApi, worker, reconciler, undelivered: this.undelivered };
    new Mail(this, 'Mails', { sender, rootUrl: edge.rootUrl, ...mailFunctions });
    this.addMonitoring(stateTable, queues, socket);
    addOutputs(this, {
      FilesAndTasksBaseUrl: `${filesUrl}/api/v1`,
      AgentsRootUrl: edge.rootUrl,
      ConsoleUrl: `${edge.rootUrl}/`,
      AgentsWsUrl: socket.directUrl ?? edge.wsUrl,
      SocketsUrl: socket.callbackUrl,
      TableName: stateTable.tableName,
      BucketName: buckets.bucketName,
      UploadsBucketName: buckets.uploadsName,
      MasterSecretId: master.secretId,
      Models: settings.models.join(','),
    });
  }

  /** The functions that are not called from outside. */
  private addWorkers({
    stateTable,
    buckets,
    master,
    queues,
  }: Stores): [BundledFunction, BundledFunction, BundledFunction] {
    const { settings } = this.options;
    const reconciler = this.addFunction('ReconcileFunction', 'reconcile', settings.sizes.reconcile);
    if (settings.reconcilerConcurrency !== undefined) reconciler.reserveConcurrency(settings.reconcilerConcurrency);
    stateTable.grantDue(reconciler);
    buckets.grantRemoval(reconciler);
    queues.grantSendingHints(reconciler);
    new Schedules(this, 'Schedules', { lanes: queues.laneArns, ...this.lifecycle }).grantScheduling(reconciler);
    new MinuteSchedule(this, 'EveryMinute', reconciler);
    this.undelivered.keepFailedCalls(reconciler);

    const worker = this.addFunction('RunTaskFunction', 'run-task', settings.sizes.runTask);
    stateTable.grantTasks(worker);
    stateTable.grantWaitingDeliveries(worker);
    stateTable.grantCounting(worker);
    buckets.grantResults(worker);
    grantModels(worker, settings);
    // An empty value counts as not set.
    worker.setEnvironment(environment.searchUrl, settings.searchUrl ?? '');
    queues.grantSendingHints(worker);
    queues.consumeLanes(worker);
    // The worker signs webhooks, and links in mails.
    master.grantReading(worker);
    const { memoryMegabytes } = settings.sizes.runTask;
    worker.setEnvironment(environment.documentMegabytes, `${memoryMegabytes - BESIDE_DOCUMENTS_MEGABYTES}`);
    worker.setEnvironment(environment.documentCpuSeconds, `${settings.cpuSeconds.document}`);
    worker.setEnvironment(environment.ocrPageCpuSeconds, `${settings.cpuSeconds.ocrPage}`);

    const sender = this.addFunction('SendWebhookFunction', 'send-webhook', settings.sizes.sendWebhook);
    stateTable.grantTasks(sender);
    stateTable.grantWaitingDeliveries(sender);
    buckets.grantArchives(sender);
    master.grantReading(sender);
    queues.consumeWebhooks(sender);
    return [reconciler, worker, sender];
  }

  private addFunction(id: string, name: string, size: Size): BundledFunction {
    const { settings, bundles } = this.options;
    const added = new BundledFunction(this, id, { bundles, name, size, lifecycle: this.lifecycle });
    added.setEnvironment(environment.logLevel, settings.logLevel);
    added.setEnvironment(environment.metrics, namespaceOf(settings));
    this.functions.set(name, added);
    return added;
  }

  /** The function of an API, with the origins of the stage's pages. */
  private addApiFunction(id: string, { name }: ApiRoutes, size: Size): BundledFunction {
    const added = this.addFunction(id, name, size);
    added.setEnvironment(environment.origins, this.options.settings.origins.join(','));
    return added;
  }

  private setLimits(to: BundledFunction): void {
    const { retentionDays, badCredentials, modelTable } = this.options.settings;
    to.setEnvironment(environment.retentionDays, `${retentionDays}`);
    to.setEnvironment(environment.badCredentials, `${badCredentials}`);
    // The table has the prices, which budgets in dollars need.
    to.setEnvironment(environment.modelTable, modelTable);
  }

  private addHttpApi(id: string, { name, routes }: ApiRoutes, served: ApiOptions): HttpApiWithRoutes {
    const { throttle } = this.options.settings;
    const api = new HttpApiWithRoutes(this, id, { routes, ...served, throttle, lifecycle: this.lifecycle });
    this.apis.set(name, api.apiId);
    return api;
  }

  /** The page depends on the URLs that it contains; the files are those of the bundle. */
  private consoleFiles(places: Parameters<typeof consolePage>[1]) {
    const folder = join(this.options.bundles, 'console');
    const page = consolePage(readFileSync(join(folder, 'index.html'), 'utf8'), places);
    const docs = join(this.options.bundles, 'docs');
    return { page, files: new StaticFiles(this, 'Console', { folder, docs, lifecycle: this.lifecycle }) };
  }

  /** The `senders` may only send messages to connections. */
  private addSocket(handler: BundledFunction, senders: BundledFunction[]): SocketApi {
    const { throttle, domains, hasWebSocketLog: hasAccessLog } = this.options.settings;
    const { lifecycle } = this;
    const domain = domains.sockets;
    const socket = new SocketApi(this, 'Socket', { handler, domain, throttle, hasAccessLog, lifecycle });
    socket.grantConnections(handler, { post: true, look: true, end: true });
    for (const sender of senders) socket.grantConnections(sender, { post: true });
    return socket;
  }

  /** An ephemeral stage without an address for alarms has none: they and the dashboard would be most of what it costs. */
  private addMonitoring({ tableName }: StateTable, queues: HintQueues, { apiId: socketApiId }: SocketApi): void {
    const { functions, apis, undelivered, lifecycle } = this;
    const { alarmsEmail, isEphemeral, sender } = this.options.settings;
    if (isEphemeral && alarmsEmail === undefined) return;
    new Monitoring(this, 'Watch', {
      namespace: namespaceOf(this.options.settings),
      email: alarmsEmail,
      customerKey: lifecycle.customerKey,
      undelivered,
      functions,
      queues: [...queues.watched(), undelivered.watched],
      apis,
      socketApiId,
      sendsMail: sender !== undefined,
      tableName,
    });
  }
}
