/** Storage: the table of all rows, and the master secret. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../adapters/aws/dynamo-items.ts';
import { environment } from '../../shared/core/environment.ts';
import { type CustomerKey, encryptedWith, TO_READ } from './customer-key.ts';
import type { BundledFunction, Lifecycle } from './function.ts';

const ITEM_ACTIONS = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'];
type StoreOptions = Pick<Lifecycle, 'removalPolicy' | 'customerKey'>;
const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER };

export class StateTable extends Construct {
  readonly tableName: string;
  private readonly table: Table;
  private readonly customerKey: CustomerKey | undefined;

  constructor(scope: Construct, id: string, { removalPolicy, customerKey }: StoreOptions) {
    super(scope, id);
    this.customerKey = customerKey;
    const isKept = removalPolicy !== RemovalPolicy.DESTROY;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: ATTRIBUTES.pk, type: AttributeType.STRING },
      sortKey: { name: ATTRIBUTES.sk, type: AttributeType.STRING },
      timeToLiveAttribute: ATTRIBUTES.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      // Otherwise encrypted with a key that DynamoDB owns: the account's managed key would cost KMS requests and control nothing.
      ...(customerKey ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: customerKey.key } : {}),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isKept },
      deletionProtection: isKept,
      removalPolicy,
    });
    this.tableName = this.table.tableName;
    for (const index of Object.values(INDEXES)) this.addIndex(index);
  }

  private addIndex({ name, partition, sort, include }: IndexLayout): void {
    this.table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: { name: partition.name, type: TYPES[partition.type] },
      sortKey: { name: sort.name, type: TYPES[sort.type] },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: include,
    });
  }

  /** Whoever reads or writes an item needs the key of the table decrypted. */
  private allowItems(to: BundledFunction, actions: string[]): void {
    to.allow(
      actions.map((action) => `dynamodb:${action}`),
      [this.table.tableArn],
    );
    to.allowKey(this.customerKey, 'dynamodb', TO_READ);
  }

  /** Reads and writes of all rows, and pages of listed rows. */
  grantRows(to: BundledFunction): void {
    this.allowItems(to, ITEM_ACTIONS);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
    to.setEnvironment(environment.table, this.table.tableName);
  }

  /** The rows of a login: users, and counters of failed attempts. */
  grantLogin(to: BundledFunction): void {
    this.allowItems(to, ['GetItem', 'PutItem']);
    to.setEnvironment(environment.table, this.table.tableName);
  }

  /** The rows of tasks: read and written. */
  grantTasks(to: BundledFunction): void {
    this.allowItems(to, ['GetItem', 'BatchGetItem', 'PutItem']);
    to.setEnvironment(environment.table, this.table.tableName);
  }

  /** Deliveries that wait for a receiver: listed when it answers, and removed when they are sent. */
  grantWaitingDeliveries(to: BundledFunction): void {
    this.allowItems(to, ['DeleteItem', 'Query']);
  }

  /** Connections, their slots, and the tasks that are replayed to them. */
  grantConnections(to: BundledFunction): void {
    this.grantTasks(to);
    this.allowItems(to, ['DeleteItem']);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
  }

  /** Counters, including the usage counters of tasks. */
  grantCounting(to: BundledFunction): void {
    this.allowItems(to, ['UpdateItem']);
  }

  /** Due rows: found by the index, read again, and updated or removed. */
  grantDue(to: BundledFunction): void {
    this.allowItems(to, ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query']);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.due.name}`]);
    to.setEnvironment(environment.table, this.table.tableName);
  }
}

export class MasterSecret extends Construct {
  readonly secretId: string;
  private readonly secret: Secret;
  private readonly customerKey: CustomerKey | undefined;

  constructor(scope: Construct, id: string, { removalPolicy, customerKey }: StoreOptions) {
    super(scope, id);
    this.customerKey = customerKey;
    this.secret = new Secret(this, 'Secret', {
      description: 'From it come the vault and the keys of the access tokens. Losing it loses what they sealed.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
      ...encryptedWith(customerKey),
    });
    this.secretId = this.secret.secretArn;
  }

  grantReading(to: BundledFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    to.allowKey(this.customerKey, 'secretsmanager', TO_READ);
    to.setEnvironment(environment.masterSecret, this.secret.secretArn);
  }
}
