import { expect, it } from 'vitest'
import { lastWeek, mondayOf } from '../../src/notifications/week.ts'

it.each([
  ['2026-11-23T00:00:00.000Z', '2026-11-23'],
  ['2026-11-22T23:59:59.999Z', '2026-11-16'],
  ['2027-01-04T00:00:00.000Z', '2027-01-04'],
  ['2028-02-29T08:00:00.000Z', '2028-02-28'],
])('the week of %s began on %s', (instant, monday) => {
  expect(mondayOf(new Date(instant))).toBe(monday)
})

it('the last week ends at the start of this Monday', () => {
  expect(lastWeek(new Date('2027-01-04T00:00:00.000Z'))).toEqual({
    since: new Date('2026-12-28T00:00:00.000Z'),
    until: new Date('2027-01-04T00:00:00.000Z'),
  })
  expect(lastWeek(new Date('2027-01-10T23:59:59.999Z')).until).toEqual(new Date('2027-01-04T00:00:00.000Z'))
})
