; Adds the app to the menu of folders in Explorer, for the current user.
!macro customInstall
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Berth" "" "Publish with Berth"
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Berth" "Icon" "$INSTDIR\${APP_EXECUTABLE_FILENAME}"
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Berth\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

!macro customUnInstall
  DeleteRegKey SHCTX "Software\Classes\Directory\shell\Berth"
  DeleteRegKey SHCTX "Software\Classes\berth"
!macroend
