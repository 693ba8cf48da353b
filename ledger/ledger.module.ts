/**
 * The ledger process as Nest sees it: the slices, the edge's own calls, and the parts that its process has
 * opened.
 */
import { Global, Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { ConnectHints } from './bus/connect-hints.js';
import { InternalCommands } from './bus/internal-commands.js';
import { JournalCommandHandler } from './bus/execute-journal-command.js';
import { StreamCommandHandler } from './bus/execute-stream-command.js';
import { EventsOutModule } from './events-out/events-out.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { MonthEndModule } from './month-end/month-end.module.js';
import { OperatorsModule } from './operators/operators.module.js';
import { OwnDataModule } from './own-data/own-data.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { PassesModule } from './passes/passes.module.js';
import { PaymentMethodsModule } from './payment-methods/payment-methods.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { SettingsModule } from './settings/settings.module.js';
import { ThanksModule } from './thanks/thanks.module.js';
import { TipPagesModule } from './tip-pages/tip-pages.module.js';
import { TreasuryModule } from './treasury/treasury.module.js';
import { UsersModule } from './users/users.module.js';
import { AccountRecoveryModule } from './account-recovery/account-recovery.module.js';
import { BankAccountsModule } from './bank-accounts/bank-accounts.module.js';
import { PayoutsModule } from './payouts/payouts.module.js';
import { PicturesModule } from './pictures/pictures.module.js';
import { PlatformMoneyModule } from './platform-money/platform-money.module.js';
import { ConnectModule } from './connect/connect.module.js';
import { AboutController, ApiDescriptionController } from './http/about.controller.js';
import { HealthController } from './http/health.controller.js';
import { LogReads } from './http/log-reads.js';
import { PolicyReportsController } from './http/policy-reports.controller.js';

/** Makes the opened parts known everywhere: they are few, and every slice needs some. */
@Global()
@Module({})
class PartsModule {
  static of(parts: readonly Provider[]): DynamicModule {
    return {
      module: PartsModule,
      providers: [...parts, InternalCommands, ConnectHints],
      exports: [...parts, InternalCommands, ConnectHints],
    };
  }
}

@Module({})
export class LedgerModule {
  /** `reads` are the controllers of the read models: their calls are served beside the slices' own. */
  static of(parts: readonly Provider[], reads: readonly Type[]): DynamicModule {
    return {
      module: LedgerModule,
      imports: [
        CqrsModule.forRoot(),
        DiscoveryModule,
        PartsModule.of(parts),
        UsersModule,
        SettingsModule,
        PaymentsModule,
        PaymentMethodsModule,
        SchedulesModule,
        IdentityModule,
        EventsOutModule,
        MessagesModule,
        PassesModule,
        OwnDataModule,
        AccountRecoveryModule,
        PasskeysModule,
        ConnectModule,
        BankAccountsModule,
        PayoutsModule,
        PlatformMoneyModule,
        TreasuryModule,
        PicturesModule,
        OperatorsModule,
        ThanksModule,
        TipPagesModule,
        MonthEndModule,
      ],
      controllers: [
        HealthController,
        AboutController,
        ApiDescriptionController,
        PolicyReportsController,
        ...reads,
      ],
      providers: [
        JournalCommandHandler,
        StreamCommandHandler,
        { provide: APP_INTERCEPTOR, useClass: LogReads },
      ],
    };
  }
}
