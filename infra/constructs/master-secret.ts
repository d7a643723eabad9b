/** The master secret, made by the stack itself: nobody ever has to paste one. */
import type { RemovalPolicy } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { BundledFunction } from './function.ts';

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
