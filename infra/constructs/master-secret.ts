/** The master secret, made by the stack itself: nobody ever has to paste one. */
import type { RemovalPolicy } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

export class MasterSecret extends Construct {
  readonly secretId: string;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description: 'From it come the vault and the keys of the access tokens. Losing it loses what they sealed.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.secretId = secret.secretArn;
  }
}
