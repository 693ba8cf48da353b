import { Global, Module } from '@nestjs/common';
import { Messages } from '../bus/messages.js';
import { MailQueue } from './mail-queue.js';
import { MessageOutbox } from './messages.handlers.js';
import { MessagesController } from './messages.controller.js';

/** What people are told. Every slice may tell something. */
@Global()
@Module({
  controllers: [MessagesController],
  providers: [{ provide: Messages, useClass: MessageOutbox }, MailQueue],
  exports: [Messages],
})
export class MessagesModule {}
