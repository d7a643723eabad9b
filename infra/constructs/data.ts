/** The table of all rows, and the master secret that the stack makes. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../adapters/aws/dynamo-items.ts';
import { environment } from '../../shared/core/environment.ts';
import type { BundledFunction } from './function.ts';

const ITEM_ACTIONS = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'];
const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER };

export class State extends Construct {
  readonly tableName: string;
  private readonly table: Table;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const isKept = removalPolicy !== RemovalPolicy.DESTROY;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: ATTRIBUTES.pk, type: AttributeType.STRING },
      sortKey: { name: ATTRIBUTES.sk, type: AttributeType.STRING },
      timeToLiveAttribute: ATTRIBUTES.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
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

  /** Every row, and the pages of the listed ones. */
  grantRows(to: BundledFunction): void {
    to.allow(
      ITEM_ACTIONS.map((action) => `dynamodb:${action}`),
      [this.table.tableArn],
    );
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
    to.tell(environment.table, this.table.tableName);
  }

  /** A user who logs in, and how often somebody was wrong. */
  grantLogin(to: BundledFunction): void {
    to.allow(['dynamodb:GetItem', 'dynamodb:PutItem'], [this.table.tableArn]);
    to.tell(environment.table, this.table.tableName);
  }

  /** A task's own rows: moved, written beside it, and read. */
  grantTasks(to: BundledFunction): void {
    to.allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem'], [this.table.tableArn]);
    to.tell(environment.table, this.table.tableName);
  }

  /** The deliveries that wait for a receiver: listed once it answers, and removed when they are sent. */
  grantWaitingDeliveries(to: BundledFunction): void {
    to.allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [this.table.tableArn]);
  }

  /** Connections, their slots, and the tasks that are replayed to them. */
  grantConnections(to: BundledFunction): void {
    this.grantTasks(to);
    to.allow(['dynamodb:DeleteItem'], [this.table.tableArn]);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
  }

  /** Also the usage counters of tasks. */
  grantCounting(to: BundledFunction): void {
    to.allow(['dynamodb:UpdateItem'], [this.table.tableArn]);
  }

  /** The rows whose time has come: found by the index, read again, moved on or removed. */
  grantDue(to: BundledFunction): void {
    const actions = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'].map((action) => `dynamodb:${action}`);
    to.allow(actions, [this.table.tableArn]);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.due.name}`]);
    to.tell(environment.table, this.table.tableName);
  }
}

export class MasterSecret extends Construct {
  readonly secretId: string;
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'From it come the vault and the keys of the access tokens. Losing it loses what they sealed.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.secretId = this.secret.secretArn;
  }

  grantReading(to: BundledFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    to.tell(environment.masterSecret, this.secret.secretArn);
  }
}
