import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { slices } from './slices.js';

abstract class Rate {
  abstract ofToday(): number;
}
const PLACE = Symbol('place');

@Injectable()
class Exchange {
  constructor(
    private readonly rate: Rate,
    @Inject(PLACE) readonly place: string,
  ) {}
  changed(minor: number): number {
    return minor * this.rate.ofToday();
  }
}
@Module({ providers: [Exchange] })
class ExchangeModule {}

async function exchangeWith(given: Parameters<typeof slices>[1]): Promise<Exchange> {
  @Module({ imports: [CqrsModule.forRoot()], providers: slices([ExchangeModule], given) })
  class TestModule {}
  const context = await NestFactory.createApplicationContext(TestModule, { logger: false });
  return context.get(Exchange);
}

describe('a slice in a test', () => {
  it('has the handlers that its module lists, with what the test gives', async () => {
    const exchange = await exchangeWith([
      { provide: Rate, useValue: { ofToday: () => 2 } },
      { provide: PLACE, useValue: 'Oslo' },
    ]);
    expect([exchange.changed(500), exchange.place]).toEqual([1_000, 'Oslo']);
  });

  it('is there without what the test does not give, and says so once that is asked', async () => {
    const exchange = await exchangeWith([]);
    expect(() => exchange.changed(500)).toThrow('The test gives no Rate, and ofToday of it was asked for.');
  });

  it('has what the test gives in place of its own', async () => {
    const given = { changed: () => 7 };
    expect((await exchangeWith([{ provide: Exchange, useValue: given }])).changed(500)).toBe(7);
  });
});
