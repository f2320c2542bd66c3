import { expect, it } from 'vitest'
import { lightSheet } from '../../scripts/assets/sheet.ts'

it('a minified stylesheet loses only comments and whitespace without meaning', () => {
  const sheet = `/* a
     b */
  a > b,
  .c :is(d, e):hover {
    margin: 0 calc(1rem - 2px);
    font: "A  B", "C; D: {E}";
    content: "✓  ";
  }
  @media (width < 40rem) {
    p {
      --x: light-dark(#fff, #000);
    }
  }
  `
  expect(lightSheet(sheet)).toBe(
    'a > b,.c :is(d,e):hover{margin:0 calc(1rem - 2px);font:"A  B","C; D: {E}";content:"✓  ";}@media (width < 40rem){p{--x:light-dark(#fff,#000);}}',
  )
})
