/** The usual theme with the fonts of the reader's own machine. */
import DefaultTheme from "vitepress/theme-without-fonts"
import "./style.css"

export default DefaultTheme
